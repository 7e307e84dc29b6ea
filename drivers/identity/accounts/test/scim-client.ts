import assert from "node:assert/strict";
import type { GroupMemberships, ProvisioningRequest, ToldGroups } from "@appserver/kernel/ports";
import type { Server } from "./accounts-under-test.ts";

export const scimToken = "a-token-of-scim-for-tests";

export const schemas = {
  user: "urn:ietf:params:scim:schemas:core:2.0:User",
  group: "urn:ietf:params:scim:schemas:core:2.0:Group",
  patch: "urn:ietf:params:scim:api:messages:2.0:PatchOp",
  error: "urn:ietf:params:scim:api:messages:2.0:Error",
} as const;

// biome-ignore lint/suspicious/noExplicitAny: a body of any form, which tests read
export type Answer = { readonly status: number; readonly body: any; readonly etag: string | undefined };

/** An identity system with the right token. */
export class ScimClient {
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  async send(method: string, target: string, given?: object | string, ifMatch?: string): Promise<Answer> {
    const { provisioning } = this.#server.identity;
    assert.ok(provisioning);
    const body = typeof given === "string" ? given : JSON.stringify(given);
    const { status, etag, ...answer } = await provisioning.send({
      method: method as ProvisioningRequest["method"],
      target,
      origin: "https://other.test",
      ifMatch,
      ...(body !== undefined && { body: Buffer.from(body) }),
    });
    return { status, etag, body: answer.body && JSON.parse(JSON.stringify(answer.body)) };
  }

  async createUser(userName: string, more: object = {}): Promise<string> {
    const { status, body } = await this.send("POST", "/Users", { schemas: [schemas.user], userName, ...more });
    assert.equal(status, 201, JSON.stringify(body));
    return body.id;
  }

  async createGroup(displayName: string, ...members: readonly string[]): Promise<string> {
    const group = { schemas: [schemas.group], displayName, members: members.map((value) => ({ value })) };
    const { status, body } = await this.send("POST", "/Groups", group);
    assert.equal(status, 201, JSON.stringify(body));
    return body.id;
  }

  async patch(target: string, ...operations: readonly object[]): Promise<Answer> {
    return await this.send("PATCH", target, { schemas: [schemas.patch], Operations: operations });
  }
}

/** Notes the groups of people that are written as permissions. */
export class Memberships implements GroupMemberships {
  readonly told: ToldGroups[] = [];
  readonly administrators = new Set<string>();
  failure: Error | undefined;

  async replace(each: ToldGroups): Promise<void> {
    if (this.failure) throw this.failure;
    this.told.push(each);
  }

  async keep(): Promise<boolean> {
    return true;
  }

  async isLastAdministrator(_: unknown, userId: string): Promise<boolean> {
    return this.administrators.has(userId) && this.administrators.size === 1;
  }

  /** Returns the groups of a person that were written last. */
  of(userId: string): readonly string[] | undefined {
    return this.told.findLast((each) => each.userId === userId && each.source === "scim")?.groups;
  }
}
