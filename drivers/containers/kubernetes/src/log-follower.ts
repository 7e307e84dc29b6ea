import type { Clock, LogLine } from "@appserver/kernel";
import type { LogRequest } from "@appserver/kernel/ports";
import type { KubernetesClient } from "./kubernetes-client.ts";
import type { Pod } from "./objects.ts";
import { readPodLog } from "./read-logs.ts";

interface LogFollowerDeps {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  /** Returns the pods of the container as they are now. */
  readonly pods: () => Promise<readonly Pod[]>;
  readonly isRunning: () => Promise<boolean>;
}

const lookEveryMs = 300;

/** Reads the output of a container, over restarts of its instance. */
export class LogFollower {
  readonly #deps: LogFollowerDeps;

  constructor(deps: LogFollowerDeps) {
    this.#deps = deps;
  }

  async *read(request: LogRequest): AsyncGenerator<readonly LogLine[]> {
    const { client, clock } = this.#deps;
    const { ended, follow, signal } = request;
    const pods = await this.#deps.pods();
    if (ended) {
      const pod = pods.find(({ metadata }) => metadata.uid === ended.instance);
      if (pod) yield* readPodLog(client, pod, { ...request, previous: true, follow: false });
      return;
    }
    // The newest pod is the one that serves: a restart replaces it.
    let pod = newest(pods);
    let { since, tail } = request;
    for (;;) {
      if (pod)
        for await (const lines of readPodLog(client, pod, { ...request, since, tail })) {
          since = lines.at(-1)?.time ?? since;
          yield lines;
        }
      if (!follow || signal?.aborted || !(await this.#deps.isRunning())) return;
      // What comes from now on was not printed yet.
      tail = undefined;
      await clock.sleep(lookEveryMs, signal);
      pod = newest(await this.#deps.pods());
    }
  }
}

function newest(pods: readonly Pod[]): Pod | undefined {
  return pods.toSorted((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? 1 : -1))[0];
}
