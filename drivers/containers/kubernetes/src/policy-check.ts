import { randomBytes } from "node:crypto";
import { type Clock, SystemClock, silentLogger } from "@appserver/kernel";
import { containerLabels, type InstanceProblem } from "@appserver/kernel/ports";
import { AppNetworks } from "./app-networks.ts";
import type { Connection } from "./connection.ts";
import { ifMissing } from "./container-errors.ts";
import { podProblem, refusalOf } from "./container-view.ts";
import { KubernetesClient } from "./kubernetes-client.ts";
import { gateContainer, gateContainerOf } from "./network-gate.ts";
import { type Deployment, objectLabel, type Pod } from "./objects.ts";
import { podSecurity } from "./workload.ts";

export interface PolicyCheckOptions {
  readonly connection: Connection;
  readonly namespace: string;
  /** Undefined: there is no image to try it with. */
  readonly gateImage?: string | undefined;
  readonly pullSecrets: readonly string[];
  readonly clock?: Clock;
}

type Role = "serve" | "try";

const port = 8_080;
const reachMs = 5_000;
/** Until both pods run and one reached the other, which their policy allows. */
const startMs = 35_000;
/** From the removal of what allows it, until it is refused. */
const closeMs = 15_000;
const lookEveryMs = 500;

const consequence = "apps reach each other, the API server and the private networks of the machines";
const notTried = "whether the cluster enforces NetworkPolicy could not be tried";

/**
 * Returns what is wrong with the policies of the cluster, or undefined if it enforces them. One pod reaches another one, because a policy
 * allows it, and must no longer reach it without that policy. Removes all that it has made.
 */
export async function checkPolicies(options: PolicyCheckOptions): Promise<string | undefined> {
  const { gateImage } = options;
  if (gateImage === undefined)
    return `${notTried}, and apps may start before their policies apply: kubernetes.gate_image is not set`;
  const check = new PolicyCheck({ ...options, gateImage });
  try {
    return await check.run();
  } catch (error) {
    return `${notTried}: ${error instanceof Error ? error.message : String(error)}`;
  } finally {
    await check.end();
  }
}

class PolicyCheck {
  readonly #options: PolicyCheckOptions & { readonly gateImage: string };
  readonly #client: KubernetesClient;
  readonly #clock: Clock;
  readonly #networks: AppNetworks;
  /** Also an installation of its own, so that no policy of the real one applies. */
  readonly #name = `check-${randomBytes(4).toString("hex")}`;
  readonly #path: string;
  readonly #pods: string;
  #isBegun = false;

  constructor(options: PolicyCheckOptions & { readonly gateImage: string }) {
    const { namespace, connection, clock = new SystemClock() } = options;
    this.#options = options;
    this.#clock = clock;
    this.#client = new KubernetesClient(connection, clock);
    this.#path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    this.#pods = `/api/v1/namespaces/${namespace}/pods`;
    const own = { client: this.#client, clock, namespace, rules: {}, logger: silentLogger };
    this.#networks = new AppNetworks({ ...own, deployments: async () => [] });
  }

  async run(): Promise<string | undefined> {
    await this.#client.call("GET", "/version", { timeoutMs: reachMs });
    this.#isBegun = true;
    const network = await this.#networks.ensure({ name: this.#name, labels: this.#labels, pool: "" });
    const deadline = this.#clock.monotonic() + startMs;
    await this.#start("serve", `${port}`);
    const served = await this.#until(deadline, "serve", isRunning, "a pod does not start");
    const address = served.status?.podIP ?? "";
    await this.#start("try", address, `${port}`);
    const isOpen = (pod: Pod): Promise<boolean> => this.#hasPrinted(pod, "open");
    await this.#until(deadline, "try", isOpen, "one pod does not reach another one of its app");
    await this.#networks.remove(network);
    const isClosed = (pod: Pod): Promise<boolean> => this.#hasPrinted(pod, "closed");
    try {
      await this.#until(this.#clock.monotonic() + closeMs, "try", isClosed, "the pod that tries it prints nothing any more");
    } catch (error) {
      const tried = error instanceof NotInTime ? await this.#pod("try") : undefined;
      if (!tried || !(await isOpen(tried))) throw error;
      return `this cluster does not enforce NetworkPolicy, or another policy of the namespace allows everything: ${consequence}`;
    }
    // Otherwise it was closed because nothing listens.
    const isSame = (pod: Pod): boolean => isRunning(pod) && pod.status?.podIP === address;
    await this.#until(deadline, "serve", isSame, "the pod that is reached has ended");
    return undefined;
  }

  /** Removes everything. The pods end with their Deployments. What cannot be removed does not hide what was found. */
  async end(): Promise<void> {
    if (this.#isBegun)
      await Promise.allSettled([this.#removeDeployment("serve"), this.#removeDeployment("try"), this.#removePolicies()]);
    await this.#networks.close();
    await this.#client.close();
  }

  async #removeDeployment(role: Role): Promise<void> {
    const body = { propagationPolicy: "Background" };
    await this.#client.call("DELETE", `${this.#path}/${this.#name}-${role}`, { body }).catch(ifMissing);
  }

  async #removePolicies(): Promise<void> {
    for (const network of await this.#networks.list(this.#labels)) await this.#networks.remove(network);
    await this.#networks.removeInstallation(this.#name);
  }

  get #labels(): Record<string, string> {
    return { [containerLabels.instance]: this.#name, [containerLabels.appId]: this.#name };
  }

  async #start(role: Role, ...args: readonly string[]): Promise<void> {
    const name = `${this.#name}-${role}`;
    const labels = { ...this.#labels, [objectLabel]: name };
    const { gateImage, pullSecrets } = this.#options;
    const spec = {
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 1,
      securityContext: podSecurity(),
      imagePullSecrets: pullSecrets.map((secret) => ({ name: secret })),
      containers: [gateContainerOf(gateImage, role, ...args)],
    };
    const template = { metadata: { labels }, spec };
    const body = { metadata: { name, labels }, spec: { replicas: 1, selector: { matchLabels: labels }, template } };
    await this.#client.call("POST", this.#path, { body: { apiVersion: "apps/v1", kind: "Deployment", ...body } });
  }

  /** Returns the pod of a role as soon as `holds` accepts it. Rejects with the reason of the pod, or `late`, at the deadline. */
  async #until(deadline: number, role: Role, holds: (pod: Pod) => boolean | Promise<boolean>, late: string): Promise<Pod> {
    for (;;) {
      const pod = await this.#pod(role);
      if (pod && (await holds(pod))) return pod;
      const problem = pod ? podProblem(pod) : await this.#refusal(role);
      if (problem?.isFinal || this.#clock.monotonic() > deadline) throw new NotInTime(problem?.message ?? late);
      await this.#clock.sleep(lookEveryMs);
    }
  }

  async #pod(role: Role): Promise<Pod | undefined> {
    const query = { labelSelector: `${objectLabel}=${this.#name}-${role}` };
    const { items } = await this.#client.call<{ readonly items: readonly Pod[] }>("GET", this.#pods, { query });
    return items[0];
  }

  /** Returns why there is no pod. */
  async #refusal(role: Role): Promise<InstanceProblem | undefined> {
    const deployment = await this.#client.find<Deployment>(`${this.#path}/${this.#name}-${role}`);
    return deployment && refusalOf(deployment);
  }

  /** Looks at the last line. */
  async #hasPrinted(pod: Pod, text: string): Promise<boolean> {
    if (!isRunning(pod)) return false;
    const query = { container: gateContainer, tailLines: 1 };
    const body = await this.#client.log(`${this.#pods}/${pod.metadata.name}/log`, query);
    return (await body.text()).trim() === text;
  }
}

class NotInTime extends Error {}

function isRunning({ status }: Pod): boolean {
  return status?.containerStatuses?.[0]?.state?.running !== undefined;
}
