# Shared by ./tailrace and ./benchmarks/run, which read it in: finds Java and Maven, and builds once, again when the sources have changed.
#
#   home     the root of the repository
#   module   what to build
#   lib      where its jars are then
#   stamp    a file among them, so that whatever takes them away takes it along
#
# shellcheck shell=sh disable=SC2154  # the four above are the reader's

least_java=17
least_maven=3.8

say() { printf '%s\n' "$*" >&2; }

die() {
    say "$@"
    exit 3
}

case $home in
    *:*) die "Tailrace cannot run from $home: Java splits a class path at the colon. Move it to another directory." ;;
esac

on_macos() { [ "$(uname -s)" = Darwin ]; }

# 17 of "17.0.1", 8 of "1.8.0"; empty when that is no Java.
java_version() {
    "$1" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.specification\.version = \(1\.\)\{0,1\}\([0-9]*\).*/\2/p'
}

java_home_of() {
    "$1" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.home = \(.*\)/\1/p'
}

# "<version> <path>" of the first Java that is new enough; with "jdk" as argument, of one that has a compiler too.
find_java() {
    for candidate in \
        "${JAVA_HOME:+$JAVA_HOME/bin/java}" \
        "$(command -v java 2>/dev/null || true)" \
        /usr/lib/jvm/*/bin/java \
        /usr/java/*/bin/java \
        /opt/java/*/bin/java \
        /opt/homebrew/opt/openjdk*/bin/java \
        /usr/local/opt/openjdk*/bin/java \
        /Library/Java/JavaVirtualMachines/*/Contents/Home/bin/java \
        "${HOME:-/nonexistent}"/.sdkman/candidates/java/*/bin/java; do
        if [ -z "$candidate" ] || [ ! -x "$candidate" ]; then
            continue
        fi
        version=$(java_version "$candidate")
        if [ -z "$version" ] || [ "$version" -lt $least_java ]; then
            continue
        fi
        if [ "${1:-}" = jdk ] && [ ! -x "$(java_home_of "$candidate")/bin/javac" ]; then
            continue
        fi
        printf '%s %s\n' "$version" "$candidate"
        return 0
    done
    return 1
}

no_java() {
    say "Tailrace needs $1, version $least_java or newer, and finds none: not in JAVA_HOME, not in PATH, not in the usual places."
    if on_macos; then
        die "Install one, for example:  brew install openjdk"
    else
        die "Install one, for example:  apt-get install openjdk-17-jdk-headless   (Debian, Ubuntu)"
    fi
}

find_maven() {
    for candidate in \
        "$(command -v mvn 2>/dev/null || true)" \
        "${MAVEN_HOME:+$MAVEN_HOME/bin/mvn}" \
        "${M2_HOME:+$M2_HOME/bin/mvn}" \
        /usr/share/maven/bin/mvn \
        /opt/maven/bin/mvn \
        /opt/homebrew/bin/mvn \
        /usr/local/bin/mvn \
        "${HOME:-/nonexistent}"/.sdkman/candidates/maven/current/bin/mvn; do
        if [ -z "$candidate" ] || [ ! -x "$candidate" ]; then
            continue
        fi
        version=$("$candidate" -v 2>/dev/null | sed -n 's/.*Apache Maven \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
        major=${version%% *}
        minor=${version##* }
        [ -n "$version" ] || continue
        if [ "$major" -gt 3 ] || { [ "$major" -eq 3 ] && [ "$minor" -ge 8 ]; }; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    return 1
}

no_maven() {
    say "Tailrace is built by Maven, version $least_maven or newer, and finds none: not in PATH, not in the usual places."
    if on_macos; then
        die "Install it, for example:  brew install maven"
    else
        die "Install it, for example:  apt-get install maven   (Debian, Ubuntu)"
    fi
}

# Directories count too: a file that was deleted shows in no other way.
is_built() {
    [ -f "$stamp" ] || return 1
    changed=$(cd "$home" && find pom.xml .mvn ./*/pom.xml ./*/src/main -newer "$stamp" -print 2>/dev/null | head -n 1)
    [ -z "$changed" ]
}

# Builds one module and what it needs.
build() {
    found=$(find_java jdk) || no_java 'a JDK'
    JAVA_HOME=$(java_home_of "${found#* }")
    export JAVA_HOME
    maven=$(find_maven) || no_maven
    log=$(mktemp "${TMPDIR:-/tmp}/tailrace-build.XXXXXX")
    if [ -d "$lib" ]; then
        say "Building $module again with $maven and JDK ${found%% *}: the sources have changed."
    else
        say "Building $module with $maven and JDK ${found%% *}; the first time this takes some minutes, for libraries are fetched."
    fi
    started=$(date +%s)
    # The time before the build: what is saved during it is built the next time.
    before=$log.before
    : >"$before"
    if ! (cd "$home" && "$maven" -B -q -ntp -Dquick -Dmaven.test.skip=true -pl "$module" -am package) >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$before"
        die "The build failed; its output stands above and in $log."
    fi
    mv -f "$before" "$stamp"
    rm -f "$log"
    say "Built in $(($(date +%s) - started)) s."
}
