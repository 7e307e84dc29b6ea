/** Production TypeScript. Tests, and the folders and files that only tests use, are not checked. */
const production = /^(?:kernel|contracts|libraries|services|drivers|transports|apps|sdk)\/.*\.tsx?$/;
const testCode = /\.(?:test|suite)\.tsx?$|\/tests?\/|\/testing\/|^drivers\/[^/]+\/[^/]+\.ts$/;
/** The code that builds timers and races for all other code, and the console, which runs in browsers without the kernel. */
const home = /^(?:kernel\/src\/(?:concurrency\/|clock\.ts$)|apps\/console\/web\/)/;

const comment = /^\s*(?:\/\/|\/?\*)/;
const timer =
  /(?<![.\w])(?:globalThis\.)?set(?:Timeout|Interval)\(|\bPromise\.race\(|\bset(?:Timeout|Interval)\b.* from "(?:node:)?timers/;

/** Files with separate timers or races, and why the kernel's do not fit. An entry that its file does not need fails the check. */
export const timerExceptions: Readonly<Record<string, string>> = {
  "kernel/src/files/file-lock.ts": "waits for other processes before there is a clock to pass",
  "kernel/src/lifecycle.ts": "races the start with the stop, without a timer",
  "services/activity/src/adapters/input-schemas/threaded-input-schemas.ts":
    "ends a thread that is too busy to end itself; starts with a race for its readiness",
  "transports/http/node-response.ts": "on the way of every aborted request and refused upload; must not keep the process alive",
  "drivers/outbound/http/src/pooled-upstream.ts": "ends connections while it closes, which rejects nothing",
  "drivers/outbound/http/src/http1-upstreams.ts": "closes idle connections; must not keep the process alive",
  "drivers/database/postgres/src/hang-watch.ts": "must not keep the process alive",
  "drivers/containers/process/src/app-process.ts": "polls operating-system processes; the runtime has no clock",
  "drivers/containers/process/src/process-runtime.ts": "must not keep the process alive; the runtime has no clock",
  "drivers/containers/process/src/outputs.ts": "polls files; the runtime has no clock",
  "drivers/containers/docker/src/engine-containers.ts": "polls the engine; the runtime has no clock",
  "drivers/cache/redis/src/redis-connection.ts": "destroys the client, which rejects the connecting itself",
  "apps/server/src/workers.ts": "the primary process has timers that it cancels one by one",
  "apps/server/src/worker-metrics.ts": "responses of other processes, matched by message",
  "apps/server/src/until-stopped.ts": "ends a process that does not start; must not keep it alive",
  "apps/server/src/compose/development.ts": "yields between steps of the start, before there is a clock",
  "transports/grpc/request-envelopes.ts": "one deadline for every message of a stream: a bare timer costs least",
  "transports/grpc/request-message.ts": "one deadline for every call: a bare timer costs least",
  "transports/grpc/rpc-handler.ts": "one reset for every refused call, cleared when its connection closes",
  "transports/graphql/websocket-operations.ts": "ends a socket that does not close; must not keep the process alive",
  "transports/graphql/legacy-ws-protocol.ts": "a timer of one socket, cleared when it closes",
  "transports/graphql/graphql-websockets.ts": "a timer of one socket, cleared when it closes",
  "transports/http/plain/plain-server.ts": "one timer for all plain connections; must not keep the process alive",
  "transports/http/dual-protocol-server.ts": "timers of one server and of its sockets; must not keep the process alive",
  "transports/http/http2-sessions.ts": "timers of one session and of its streams; must not keep the process alive",
  "apps/server/src/log/log-destination.ts": "logging must not depend on what it logs; must not keep the process alive",
  "sdk/web/follow-run.ts": "runs in pages, which do not have the kernel",
  "apps/cli/src/sleep.ts": "the command line does not import the kernel",
  "sdk/src/database/database.ts": "the SDK does not import the kernel",
  "sdk/src/hooks/hook-subscriber.ts": "the SDK does not import the kernel",
  "sdk/src/serve-app.ts": "the SDK does not import the kernel",
  "sdk/src/open-streams.ts": "the SDK does not import the kernel",
  "sdk/src/app-settings.ts": "the SDK does not import the kernel",
  "sdk/src/activities/activity-worker.ts": "the SDK does not import the kernel",
  "sdk/src/activities/held-run.ts": "the SDK does not import the kernel",
};

export function mayNotHaveTimers(path: string): boolean {
  return production.test(path) && !testCode.test(path) && !home.test(path);
}

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Returns a line for every timer or race outside the exceptions, and for every exception that no file needs. */
export function timerProblems(files: readonly SourceFile[], exceptions: Readonly<Record<string, string>>): readonly string[] {
  const needed = new Set<string>();
  const problems: string[] = [];
  for (const { path, text } of files) {
    if (!mayNotHaveTimers(path)) continue;
    for (const [index, line] of text.split("\n").entries()) {
      if (comment.test(line) || !timer.test(line)) continue;
      needed.add(path);
      if (!Object.hasOwn(exceptions, path)) problems.push(`${path}:${index + 1}: ${line.trim()}`);
    }
  }
  const unneeded = Object.keys(exceptions).filter((path) => !needed.has(path));
  return [...problems, ...unneeded.map((path) => `${path}: has no timer and no race; remove it from the exceptions`)];
}
