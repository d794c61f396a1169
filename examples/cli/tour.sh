#!/bin/sh
# Everything else the command does, on one queue: put jobs in, look at them, hold them, take them out.
set -eu
PATH="$PWD/node_modules/.bin:$PATH"

flexiq enqueue resize '"a.png"'
flexiq enqueue resize b.png 1280 --priority 5       # what is not JSON is text
flexiq enqueue resize later.png --delay 1h
flexiq enqueue resize c.png --unique-key resize:c   # twice is once
flexiq enqueue resize c.png --unique-key resize:c
flexiq stats
flexiq jobs --state pending --limit 10 --json

flexiq cancel 3
flexiq pause default
flexiq resume default
flexiq dead
