#!/bin/sh
# The flags that most people set.
# Not through npx: the shell it puts in between would keep SIGTERM from the autoscaler.
PATH="$PWD/node_modules/.bin:$PATH"
exec flexiq autoscale --app myapp.tasks:queue \
  --min-workers 2 --max-workers 20 \
  --target-queue-depth 25 --drain-timeout 60
