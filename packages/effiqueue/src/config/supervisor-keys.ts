/**
 * What Supervisor's own keys mean to us: which key of ours they stand for, or why they are not read. DESIGN 5.3.
 */
import type { KeyName } from "../model/keys.ts";

/** First come, first served: of two keys for one thing the upper one holds. */
export const STANDS_FOR: Readonly<Record<string, KeyName>> = {
  command: "command",
  process_name: "process_name",
  directory: "cwd",
  environment: "env",
  user: "user",
  numprocs: "max_workers",
  max: "max_workers",
  stopsignal: "stop_signal",
  stopwaitsecs: "drain_timeout",
  stopasgroup: "stop_target",
  startsecs: "min_uptime",
  exitcodes: "exit_codes",
  stdout_logfile: "stdout",
  stderr_logfile: "stderr",
};

/** Read by rules of their own. */
export const SPECIAL = ["autostart", "autorestart", "redirect_stderr"] as const;

interface NotRead {
  readonly why: string;
  /** Values with which nothing is lost, because that is what happens anyway. */
  readonly unless?: RegExp;
}

const NO_ROTATION: NotRead = {
  why: "output files are not rotated; let logrotate move them, each new worker opens the file anew",
  unless: /^0+([kmg]b)?$/i,
};
const NO_CAPTURE: NotRead = { why: "output is not captured", unless: /^0+([kmg]b)?$/i };
const NO_EVENTS: NotRead = { why: "output raises no events", unless: /^(no|false|off|0)$/i };
const NO_SYSLOG: NotRead = { why: "output goes to no syslog", unless: /^(no|false|off|0)$/i };

export const NOT_READ: Readonly<Record<string, NotRead>> = {
  priority: { why: "programs start in no order; how they share the memory is set in a TOML file" },
  startretries: { why: "a worker that crashes is started again for as long as it is needed, after growing pauses" },
  numprocs_start: { why: "process numbers begin at 0", unless: /^0+$/ },
  killasgroup: { why: "SIGKILL always goes to the whole group", unless: /^(yes|true|on|1)$/i },
  umask: { why: "workers have the umask of the daemon" },
  serverurl: { why: "there is no server for workers to call", unless: /^auto$/i },
  stdout_logfile_maxbytes: NO_ROTATION,
  stderr_logfile_maxbytes: NO_ROTATION,
  stdout_logfile_backups: NO_ROTATION,
  stderr_logfile_backups: NO_ROTATION,
  stdout_capture_maxbytes: NO_CAPTURE,
  stderr_capture_maxbytes: NO_CAPTURE,
  stdout_events_enabled: NO_EVENTS,
  stderr_events_enabled: NO_EVENTS,
  stdout_syslog: NO_SYSLOG,
  stderr_syslog: NO_SYSLOG,
};

/** Between Supervisor and its own command line, in nearly every file: nobody misses them here, so nothing is said of them. */
export const UNMISSED_SECTIONS: readonly string[] = ["supervisorctl", "unix_http_server", "rpcinterface", "ctlplugin"];

/** Other sections that are Supervisor's business, by what stands before the colon. */
export const OTHER_SECTIONS: Readonly<Record<string, string>> = {
  supervisord: "only its environment is read",
  inet_http_server: "not read; status and metrics are served at metrics_addr",
  group: "not read; programs belong to no groups",
  include: "not followed; give the file with the programs itself",
  eventlistener: "not run; only [program:NAME] is",
  "fcgi-program": "not run; only [program:NAME] is",
};
