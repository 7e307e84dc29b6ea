import type { Clock, LogLine } from "@appserver/kernel";
import type { LogRequest } from "@appserver/kernel/ports";
import type { KubernetesClient } from "./kubernetes-client.ts";
import { appContainer, type Pod } from "./objects.ts";
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
    const instance = ended?.instance ?? request.instance;
    // The newest pod that has started is the one that serves: a restart replaces it.
    const podOf = async (): Promise<Pod | undefined> => {
      const pods = await this.#deps.pods();
      return instance === undefined ? newestStarted(pods) : pods.find(({ metadata }) => metadata.uid === instance);
    };
    let pod = await podOf();
    if (ended) {
      if (pod) yield* readPodLog(client, pod, { ...request, previous: true, follow: false });
      return;
    }
    let { since, tail } = request;
    for (;;) {
      if (pod)
        for await (const lines of readPodLog(client, pod, { ...request, since, tail })) {
          since = lines.at(-1)?.time ?? since;
          tail = undefined;
          yield lines;
        }
      if (!follow || signal?.aborted || !(await this.#deps.isRunning())) return;
      // What comes from now on was not printed yet, unless nothing that was printed is wanted, and nothing was read.
      if (tail !== 0) tail = undefined;
      await clock.sleep(lookEveryMs, signal);
      const next = await podOf();
      if (!next && instance !== undefined) return;
      // The first lines of another pod may be older than the last ones of this one.
      if (next && next.metadata.uid !== pod?.metadata.uid) {
        since = request.since;
        tail = undefined;
      }
      pod = next ?? pod;
    }
  }
}

/** Returns the newest pod whose app runs or has ended. A pod that waits for its machine or image has printed nothing. */
function newestStarted(pods: readonly Pod[]): Pod | undefined {
  const age = ({ metadata }: Pod): string => `${metadata.creationTimestamp} ${metadata.uid}`;
  return pods.filter(hasStarted).toSorted((a, b) => (age(a) < age(b) ? 1 : -1))[0];
}

function hasStarted({ status }: Pod): boolean {
  const app = status?.containerStatuses?.find(({ name }) => name === appContainer);
  return [app?.state?.running, app?.state?.terminated, app?.lastState?.terminated].some((each) => each !== undefined);
}
