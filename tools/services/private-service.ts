import { freezeProcess } from "./freeze-process.ts";
import { runningPid, type ServiceDefinition, useService } from "./shared-service.ts";

/** A server that one test has to itself, to stop, kill, freeze and start again: what the definition prepares is kept. */
export interface PrivateService {
  readonly settings: Readonly<Record<string, string>>;
  /** After {@link PrivateService.stop} or {@link PrivateService.kill}. */
  start(): Promise<void>;
  /** SIGTERM, as an operator would. */
  stop(): Promise<void>;
  /** SIGKILL, as a power cut would. */
  kill(): Promise<void>;
  /** SIGSTOP: connections stay open and nothing is answered, until {@link PrivateService.resume}. */
  pause(): void;
  resume(): void;
}

/** Starts the service for the caller alone, who stops it. Its definition must prepare the same ports every time. */
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
