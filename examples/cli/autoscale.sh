#!/bin/sh
# The quickest way to run the autoscaler: `--app` says where the queue is, everything else has a default.
# Not through npx: the shell it puts in between would keep SIGTERM from the autoscaler.
PATH="$PWD/node_modules/.bin:$PATH"
exec flexiq autoscale --app myapp.tasks:queue
