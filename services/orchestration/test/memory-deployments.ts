import { AppError } from "@appserver/kernel";
import { type Deployment, promote, retire } from "../src/domain/deployment.ts";
import type { DeploymentStore, DeploymentsByRole, Writer } from "../src/ports.ts";

/**
 * Stores deployments in memory. `states` contains every transition, in the form of the events. Those of other roles than the
 * current one are preceded by the role.
 */
export class MemoryDeployments implements DeploymentStore {
  readonly states: string[] = [];
  readonly all: Deployment[] = [];
  /** Throws before the write with this number (from 1), to simulate a kill between two steps. */
  killAtWrite = 0;
  kills = 0;
  #writes = 0;
  #fence = 0;

  async ofApp(appName: string): Promise<DeploymentsByRole> {
    const own = this.all.filter((deployment) => deployment.appName === appName && deployment.role !== undefined);
    return Object.fromEntries(own.map((deployment) => [deployment.role, deployment]));
  }

  containers(): Promise<readonly Deployment[]> {
    return this.withRole();
  }

  async withRole(): Promise<readonly Deployment[]> {
    return this.all.filter(({ role }) => role !== undefined);
  }

  async begin(writer: Writer, deployment: Deployment): Promise<void> {
    this.#check(writer);
    const { [deployment.role ?? "current"]: previous } = await this.ofApp(deployment.appName);
    if (previous) this.#put(previous, { ...previous, role: undefined });
    this.all.push(deployment);
    this.#emit(deployment);
  }

  async transition(writer: Writer, before: Deployment, after: Deployment): Promise<void> {
    await this.amend(writer, before, after);
    this.#emit({ role: before.role, state: after.state });
  }

  async amend(writer: Writer, before: Deployment, after: Deployment): Promise<void> {
    this.#check(writer);
    this.#put(before, after);
  }

  async promote(writer: Writer, next: Deployment, replaced: Deployment | undefined, at: Date): Promise<void> {
    this.#check(writer);
    if (replaced) this.#put(replaced, retire(replaced, at));
    this.#put(next, promote(next, at));
    this.#emit(promote(next, at));
  }

  async saveProgress(): Promise<void> {}

  async requestRestart(appName: string, at: Date): Promise<boolean> {
    const index = this.all.findIndex((deployment) => deployment.appName === appName && deployment.role === "current");
    const deployment = this.all[index];
    if (deployment) this.all[index] = { ...deployment, restartRequestedAt: at };
    return deployment !== undefined;
  }

  async requestWake(appId: string): Promise<void> {
    this.#ask(appId, "ASLEEP", { wakeRequestedAt: new Date(0) });
  }

  requestSleep(appId: string): void {
    this.#ask(appId, "HEALTHY", { sleepRequestedAt: new Date(0) });
  }

  #ask(appId: string, state: Deployment["state"], request: Partial<Deployment>): void {
    const index = this.all.findIndex((each) => each.appId === appId && each.role === "current" && each.state === state);
    const deployment = this.all[index];
    if (deployment) this.all[index] = { ...deployment, ...request };
  }

  #put(before: Deployment, after: Deployment): void {
    const index = this.all.findIndex(({ id }) => id === before.id);
    const stored = this.all[index];
    if (stored?.state !== before.state || stored.role !== before.role)
      throw new AppError("CONFLICT", `no longer ${before.state}`);
    const isDone = before.restartRequestedAt !== undefined && after.restartRequestedAt === undefined;
    this.all[index] = { ...after, restartRequestedAt: isDone ? undefined : stored.restartRequestedAt };
  }

  #emit({ role, state }: Pick<Deployment, "role" | "state">): void {
    this.states.push(role === "current" || role === undefined ? state : `${role}:${state}`);
  }

  #check({ fence }: Writer): void {
    if (++this.#writes === this.killAtWrite) {
      this.kills += 1;
      throw new Error("killed");
    }
    if (fence < this.#fence) throw new AppError("CONFLICT", "taken over");
    this.#fence = fence;
  }
}
