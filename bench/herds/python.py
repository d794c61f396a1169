# A parent with an application loaded, as servers of Python preload it, and workers that are forked from it: each uses a part of
# what is shared, which copies it, for counting references is writing. Says the pid of each, and its own.
import os
import sys
import time

shared = [str(i) * 8 for i in range(800_000)]
for _ in range(int(sys.argv[1])):
    if os.fork() == 0:
        os.setsid()
        used = list(shared[:80_000])
        own = [str(i) for i in range(100_000)]
        os.write(1, b"%d\n" % os.getpid())
        time.sleep(3600)
os.write(1, b"%d\n" % os.getpid())
time.sleep(3600)
