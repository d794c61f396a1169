#!/bin/sh
# Every flag of mode hpa, with the default of each: one for every field of AutoscaleConfig (examples/config.ts says what they do).
# Not through npx: the shell it puts in between would keep SIGTERM from the autoscaler.
PATH="$PWD/node_modules/.bin:$PATH"
exec flexiq autoscale --app myapp.tasks:queue --mode hpa \
  --min-workers 1 --max-workers 10 \
  --target-queue-depth 15 --target-utilisation 0.75 \
  --scale-up-window 0 --scale-down-window 300 \
  --tolerance 0.1 --poll-interval 5 --drain-timeout 30 \
  --threads-per-worker 4
