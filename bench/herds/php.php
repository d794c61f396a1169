<?php
// A parent with an application loaded, and workers that are forked from it, each of which uses a part of what is shared. Says the
// pid of each, and its own.
ini_set('memory_limit', '-1');
$shared = [];
for ($i = 0; $i < 800000; $i++) $shared[] = str_repeat((string) $i, 8);
for ($n = 0; $n < (int) $argv[1]; $n++) {
    if (pcntl_fork() === 0) {
        posix_setsid();
        $used = [];
        for ($i = 0; $i < 80000; $i++) $used[] = $shared[$i] . 'x';
        echo getmypid() . "\n";
        sleep(3600);
        exit;
    }
}
echo getmypid() . "\n";
sleep(3600);
