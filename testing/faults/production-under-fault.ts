import { AppState } from "@appserver/contracts/proto/appserver/v2/common";
import { createPlatformClient, type PlatformClient, signRequest } from "@appserver/sdk";
import type { TestApp } from "@appserver/testing/kit";
import { type HttpRequest, send, until } from "@appserver/testing/kit";
import { type ProductionServices, ReplicaGroup } from "@appserver/testing/kit/production";
import { Code, ConnectError } from "@connectrpc/connect";
import { RequestLoad, type SendRequest } from "../kit/request-load.ts";
import { CountingUpstream } from "../production/replicas/counting-upstream.ts";
import { answering, answeringApp, calling, callingApp } from "../production/replicas/sample-apps.ts";
import { AcknowledgedWork, type WorkOptions, workApp, workingApp } from "./acknowledged-work.ts";
import { untilNothingFound } from "./faulty-platform.ts";
import { type Expectation, violations } from "./invariants.ts";
import { ProductionRecords, type RabbitControl } from "./production-records.ts";

/** The app that the load installs and uninstalls repeatedly. */
export const changing = "test.changing";

/** The kinds of requests of the load: calls of an app, queries and commands of the platform. */
export type Kind = "public" | "cookie" | "signed" | "query" | "command";

/** Two servers with apps whose backend runs in the test, under load while their backends are stopped. */
export class ProductionUnderFault {
  readonly group: ReplicaGroup;
  readonly records: ProductionRecords;
  /** Commands of the load that were acknowledged. */
  acknowledged = 0;
  /**
   * The possible states after the last command: the acknowledged one, or the new and the previous one if it was not
   * acknowledged.
   */
  #possible: readonly string[] = ["REGISTERED"];
  /** The commands of the load, for the error of a violation. */
  readonly #commands: string[] = [];
  /** Numbers of signed calls that returned 200. */
  readonly #written: string[] = [];
  readonly #upstream: CountingUpstream;
  readonly #caller: TestApp;
  readonly #cookie: string;
  readonly #clients: readonly PlatformClient[];
  readonly #workOptions: WorkOptions;
  #ends = new AsyncDisposableStack();
  /** The work that runs with the last load. */
  #work: AcknowledgedWork | undefined;
  #loads = 0;

  private constructor(
    group: ReplicaGroup,
    records: ProductionRecords,
    upstream: CountingUpstream,
    { caller, cookie, workOptions }: InstalledApps,
  ) {
    this.group = group;
    this.records = records;
    this.#upstream = upstream;
    this.#caller = caller;
    this.#cookie = cookie;
    this.#workOptions = workOptions;
    this.#clients = group.servers.map(({ grpcUrl }) =>
      createPlatformClient({ grpcUrl, token: group.adminToken, timeoutMs: 60_000 }),
    );
  }

  static async start(services: ProductionServices, control: RabbitControl): Promise<ProductionUnderFault> {
    await using ends = new AsyncDisposableStack();
    const upstream = await CountingUpstream.start();
    ends.defer(() => upstream.stop());
    const group = await ReplicaGroup.start(services);
    ends.defer(() => group.stop());
    // Before the first transition, because the checker must see every event.
    const records = await ProductionRecords.open(services, control);
    ends.defer(() => records.stop());
    const apps = await installApps(group, upstream);
    const platform = new ProductionUnderFault(group, records, upstream, apps);
    for (const { httpUrl } of group.servers)
      for (const sendTo of [platform.sendCookie, platform.sendSigned])
        await until("calls are allowed", async () => (await sendTo(httpUrl, "0")) === 200);
    platform.#ends = ends.move();
    return platform;
  }

  /** Starts requests of these kinds, to every server in turn, and work with settings, hooks and runs, until {@link settled}. */
  load<Sent extends Kind>(phase: string, kinds: readonly Sent[]): RequestLoad<Sent> {
    // Each number is used once over all loads.
    const load = ++this.#loads;
    this.#work = new AcknowledgedWork(this.#workOptions);
    const inTurn = (sendTo: (httpUrl: string, sequence: string) => Promise<number>): SendRequest => {
      return (sequence) => sendTo(this.group.server(sequence).httpUrl, `${load}.${sequence}`);
    };
    const requests: Readonly<Record<Kind, SendRequest>> = {
      public: inTurn(this.sendPublic),
      cookie: inTurn((url, sequence) => this.sendCookie(url, sequence)),
      signed: inTurn(async (url, sequence) => {
        const status = await this.sendSigned(url, sequence);
        if (status === 200) this.#written.push(sequence);
        return status;
      }),
      query: inTurn((url) => this.query(url)),
      command: (sequence) => this.#command(sequence),
    };
    const sent = Object.fromEntries(kinds.map((kind) => [kind, requests[kind]])) as Record<Sent, SendRequest>;
    return new RequestLoad<Sent>(sent, phase);
  }

  readonly sendPublic = (httpUrl: string, sequence: string): Promise<number> =>
    statusOf(httpUrl, "/public", { headers: { "x-sequence": sequence } });

  readonly sendCookie = (httpUrl: string, sequence: string, path = "/read"): Promise<number> =>
    statusOf(httpUrl, path, { headers: { "x-sequence": sequence, cookie: this.#cookie } });

  /** An unsafe method, for which the platform stores the signature. */
  readonly sendSigned = (httpUrl: string, sequence: string): Promise<number> =>
    statusOf(httpUrl, "/write", this.signedWrite(sequence));

  signedWrite(sequence: string): HttpRequest {
    const body = Buffer.from(sequence);
    const { privateKey } = this.#caller.keys;
    const url = `/api/apps/${answering}/write`;
    const signature = signRequest({ appName: calling, privateKey, method: "POST", url, body });
    return {
      method: "POST",
      headers: { ...signature, "x-sequence": sequence, "content-length": String(body.length) },
      body,
    };
  }

  /** GraphQL as the administrator: 200, 503 for SERVICE_UNAVAILABLE, 500 for any other error. */
  async query(httpUrl: string): Promise<number> {
    const headers = { "content-type": "application/json", authorization: `Bearer ${this.group.adminToken}` };
    const body = JSON.stringify({ query: "{ apps { totalCount } }" });
    const answer = await send(httpUrl, "/graphql", { method: "POST", headers, body });
    const { errors, code } = JSON.parse(answer.text) as { errors?: { extensions: { code: string } }[]; code?: string };
    const [problem] = [...(errors ?? []).map(({ extensions }) => extensions.code), ...(code === undefined ? [] : [code])];
    if (problem === undefined) return answer.status;
    return problem === "SERVICE_UNAVAILABLE" ? 503 : 500;
  }

  /**
   * Resolves with the counts once every invariant (docs/interface/operations.md#invariants) holds. Rejects with the violations.
   */
  async settled(): Promise<string> {
    const done = await this.#work?.settle(this.group.services.database, async () => this.records.events);
    await this.#work?.stop();
    this.#work = undefined;
    const expected = new Map<string, Expectation>([
      [answering, { states: ["RUNNING"], needsProcess: false }],
      [calling, { states: ["RUNNING"], needsProcess: false }],
      [changing, { states: this.#possible, needsProcess: false }],
      [workApp, { states: ["RUNNING"], needsProcess: false }],
    ]);
    await untilNothingFound(async () => {
      const records = await this.records.read();
      const publicRoute = new Map<string, number>();
      for (const { httpUrl } of this.group.servers) publicRoute.set(answering, await this.sendPublic(httpUrl, "0"));
      const found = [...violations({ records, processes: [], publicRoute }, expected), ...this.#lost()];
      return found.length === 0 ? [] : [...found.slice(0, 20), `last commands: ${this.#commands.slice(-12).join(", ")}`];
    });
    return `${this.acknowledged} commands and ${this.#written.length} writes acknowledged, none lost; ${done ?? "no other work"}`;
  }

  async stop(): Promise<void> {
    await this.#work?.stop();
    await this.#ends.disposeAsync();
  }

  /** Returns acknowledged calls that the app did not receive or received twice. */
  #lost(): readonly string[] {
    return this.#written.flatMap((sequence) => {
      const times = this.#upstream.received.get(sequence) ?? 0;
      return times === 1 ? [] : [`write ${sequence} was acknowledged and reached the app ${times} times`];
    });
  }

  /**
   * Installs the app or uninstalls it if it is installed. 409 if another command is running or the outcome of the last one was
   * unknown.
   */
  async #command(sequence: number): Promise<number> {
    const client = this.#clients[sequence % this.#clients.length];
    if (!client) return 0;
    const before = await client.marketplace.getApp({ name: changing }).catch(statusOfError);
    if (typeof before === "number") return before;
    const state = AppState[before.app?.state ?? 0] ?? "";
    const isInstalled = ["INSTALLED", "RUNNING", "UNHEALTHY"].includes(state);
    const wanted = isInstalled ? "UNINSTALLED" : "RUNNING";
    const known = this.#possible;
    const startedAt = new Date().toISOString();
    this.#possible = [state === "INSTALLED" ? "RUNNING" : state, wanted];
    const answer = await (isInstalled
      ? client.marketplace.uninstallApp({ name: changing })
      : client.marketplace.installApp({ name: changing })
    ).catch(statusOfError);
    const status = typeof answer === "number" ? answer : 200;
    this.#commands.push(`${startedAt} to ${new Date().toISOString()} ${state} → ${wanted} ${status}`);
    if (answer === 409) this.#possible = known;
    if (typeof answer === "number") return answer;
    this.acknowledged += 1;
    this.#possible = [wanted];
    return 200;
  }
}

interface InstalledApps {
  /** The app that calls. */
  readonly caller: TestApp;
  /** The session of a user who may call {@link answering}. */
  readonly cookie: string;
  readonly workOptions: WorkOptions;
}

async function installApps(group: ReplicaGroup, upstream: CountingUpstream): Promise<InstalledApps> {
  const server = group.server(0);
  const [caller, worker] = [await callingApp(upstream.url), await workingApp(upstream.url)];
  for (const app of [await answeringApp(upstream.url), caller, await callingApp(upstream.url, changing), worker])
    await group.register(server, app);
  const client = group.client(server);
  for (const name of [answering, calling, changing]) await group.approvePermissions(server, name);
  for (const name of [answering, calling]) await client.marketplace.installApp({ name });
  const { app } = await client.marketplace.installApp({ name: workApp });
  const grpcUrls = group.servers.map(({ grpcUrl }) => grpcUrl);
  const workOptions = { grpcUrls, app: worker, appId: app?.id ?? "", adminToken: group.adminToken };
  return { caller, cookie: (await group.viewerOf(answering)).cookie, workOptions };
}

function statusOf(httpUrl: string, path: string, request: HttpRequest): Promise<number> {
  return send(httpUrl, `/api/apps/${answering}${path}`, request).then(({ status }) => status);
}

const conflicts: ReadonlySet<Code> = new Set([Code.Aborted, Code.FailedPrecondition, Code.AlreadyExists]);

/** The HTTP status that corresponds to the gRPC code. */
function statusOfError(error: unknown): number {
  const { code } = ConnectError.from(error);
  if (conflicts.has(code)) return 409;
  return code === Code.Unavailable ? 503 : 500;
}
