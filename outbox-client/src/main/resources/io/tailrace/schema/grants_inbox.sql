GRANT USAGE ON SCHEMA ${schema} TO ${role};
GRANT EXECUTE ON FUNCTION
    ${schema}.lock_key(text, uuid),
    ${schema}.begin_delivery(text, uuid),
    ${schema}.complete_delivery(text, uuid)
    TO ${role};
