# syntax=docker/dockerfile:1

FROM maven:3-eclipse-temurin-17 AS build
WORKDIR /src
COPY . .
# -Dquick leaves out formatter, bug patterns and analysis, which `mvn verify` runs.
RUN --mount=type=cache,target=/root/.m2 \
    mvn -B -q -Dquick -Dmaven.test.skip=true -pl cli -am package

FROM eclipse-temurin:17-jre
RUN useradd --system --uid 10001 --create-home --home-dir /home/tailrace tailrace \
 && mkdir -p /opt/tailrace/handlers /var/lib/tailrace \
 && chown tailrace:tailrace /var/lib/tailrace
COPY --from=build /src/cli/target/tailrace/lib /opt/tailrace/lib
COPY --chmod=755 deploy/ready.sh /opt/tailrace/bin/ready
# Where every verb looks for its configuration.
ENV TAILRACE_CONFIG=/etc/tailrace/tailrace.yml
USER tailrace
# Here the router keeps the stores of the lanes; a volume makes a restart fast.
VOLUME /var/lib/tailrace
WORKDIR /home/tailrace
EXPOSE 9464
# With start-up, first topics and first rebalance a part is ready well within the start period.
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s --retries=3 CMD ["/opt/tailrace/bin/ready"]
# A signal reaches Java itself, so that a stop is a clean stop. The JVM reads its options from JAVA_TOOL_OPTIONS.
ENTRYPOINT ["java", "-XX:+ExitOnOutOfMemoryError", "-cp", "/opt/tailrace/lib/*:/opt/tailrace/handlers/*", "io.tailrace.cli.Tailrace"]
CMD ["--help"]
