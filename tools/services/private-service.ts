import { freezeProcess } from "./freeze-process.ts";
import { runningPid, type ServiceDefinition, useService } from "./shared-service.ts";

/** A server for one test, which may stop, kill, freeze and restart it. The prepared data is kept. */
export interface PrivateService {
  readonly settings: Readonly<Record<string, string>>;
  /** Starts the server again after {@link PrivateService.stop} or {@link PrivateService.kill}. */
  start(): Promise<void>;
  /** Stops the server with SIGTERM, as an operator would. */
  stop(): Promise<void>;
  /** Stops the server with SIGKILL, like a power cut. */
  kill(): Promise<void>;
  /** Sends SIGSTOP: connections stay open, but the server sends nothing until {@link PrivateService.resume}. */
  pause(): void;
  resume(): void;
}

/** Starts the service for the caller alone. The caller stops it. Its definition must prepare the same ports every time. */
export async function startPrivateService(definition: ServiceDefinition): Promise<PrivateService> {
  let use = await useService(definition);
  const signal = (name: NodeJS.Signals): void => {
    const pid = runningPid(definition);
    if (pid !== undefined) process.kill(pid, name);
  };
  return {
    settings: use.settings,
    start: async () => {
      use = await useService(definition);
    },
    stop: () => use.stop(),
    kill: async () => {
      signal("SIGKILL");
      await use.stop();
    },
    pause: () => {
      const pid = runningPid(definition);
      if (pid !== undefined) freezeProcess(pid);
    },
    resume: () => signal("SIGCONT"),
  };
}
