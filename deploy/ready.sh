#!/usr/bin/env bash
# Whether the part in this container makes progress: exit 0 when /health/ready answers 200. Needs bash and nothing else.
set -eu
exec 3<>"/dev/tcp/127.0.0.1/${1:-9464}"
printf 'GET /health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
read -r -t 3 _ status _ <&3
[ "$status" = 200 ]
