-- Which migrations have been applied, and with what text.
CREATE TABLE ${schema}.schema_version (
    version     integer NOT NULL,
    description text NOT NULL,
    applied_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    checksum    text NOT NULL,
    PRIMARY KEY (version, description)
);
