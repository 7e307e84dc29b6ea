import { auditEntry, type Call } from "@appserver/kernel";
import type { AuditLog, Database } from "@appserver/kernel/ports";
import type { Push, PushLog } from "../ports.ts";

/** Writes pushes to the audit log. */
export class AuditedPushes implements PushLog {
  readonly #audit: Pick<AuditLog, "record">;
  readonly #database: Pick<Database, "transaction">;

  constructor(audit: Pick<AuditLog, "record">, database: Pick<Database, "transaction">) {
    this.#audit = audit;
    this.#database = database;
  }

  async record({ app, digest, tag }: Push, call: Pick<Call, "caller" | "traceparent">): Promise<void> {
    const details = { digest, ...(tag !== undefined && { tag }) };
    const entry = auditEntry(call, { action: "image.push", target: `app:${app}`, details });
    await this.#database.transaction((tx) => this.#audit.record(tx, entry));
  }
}
