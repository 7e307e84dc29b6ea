import type { Authorization } from "@appserver/kernel/ports";

/** Tuples in a set, checked without a model. */
export class SetAuthorization implements Authorization {
  readonly tuples = new Set<string>();
  asked = 0;
  outage = false;

  grant(user: string, object: string): void {
    this.tuples.add(`${user} holder ${object}`);
  }

  async check({ user, relation, object }: Parameters<Authorization["check"]>[0]): Promise<boolean> {
    this.asked += 1;
    if (this.outage) throw new Error("the authorization service is down");
    return this.tuples.has(`${user} ${relation} ${object}`);
  }

  async batchCheck(requests: Parameters<Authorization["batchCheck"]>[0]): Promise<readonly boolean[]> {
    return Promise.all(requests.map((request) => this.check(request)));
  }

  async write(): Promise<void> {}

  async read(): Promise<readonly []> {
    return [];
  }

  async ping(): Promise<void> {}
}
