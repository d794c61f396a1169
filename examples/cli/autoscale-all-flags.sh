#!/bin/sh
# A flag for every field of examples/config.ts, which says what they do, each with its default.
# Not through npx: the shell it puts in between would keep SIGTERM from the autoscaler.
PATH="$PWD/node_modules/.bin:$PATH"
exec flexiq autoscale --app myapp.tasks:queue --mode hpa \
  --min-workers 1 --max-workers 10 \
  --target-queue-depth 15 --target-utilisation 0.75 \
  --scale-up-window 0 --scale-down-window 300 \
  --tolerance 0.1 --poll-interval 5 --drain-timeout 30 \
  --threads-per-worker 4
