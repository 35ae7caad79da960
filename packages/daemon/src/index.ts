export { DaemonConfig, type DaemonHome, daemonHome, readConfig, usersHome } from './config.js';
export { DaemonError, type FieldError } from './daemon-error.js';
export { DAEMON_ERRORS, type DaemonErrorCode } from './error-codes.js';
export { placeRecordOf } from './server/place-record.js';
export { runServe } from './server/run-serve.js';
export { findRunning, type RunningDaemon } from './server/running-daemon.js';
export { type ServerProgram, serverCommands } from './server/server-commands.js';
export { ensureRunning, type StartCommand, signInLink } from './server/sign-in-link.js';
export { type Daemon, type StartOptions, startDaemon } from './server/start-daemon.js';
