import { advisoryLocks, column, columns, deleteInSteps } from "@appserver/kernel";
import type { Database } from "@appserver/kernel/ports";
import type { AgentConsent } from "../domain/agent-consent.ts";
import type { AgentConsents } from "../ports.ts";

const consents = columns<AgentConsent>({
  id: column,
  userId: column,
  displayName: column,
  email: column,
  clientId: column,
  clientName: column,
  apps: column,
  isReadOnly: column,
  createdAt: column,
  expiresAt: column,
  usedAt: column,
});

const names = consents.names();

/** Rows of `access.agent_consents`. */
export const sqlAgentConsents: AgentConsents = {
  async lock(tx, userId) {
    await tx.query("select pg_advisory_xact_lock($1, hashtext($2))", [advisoryLocks.agentConsentsOfPerson, userId]);
  },

  async add(tx, consent) {
    const places = names.map((_, index) => `$${index + 1}`);
    await tx.query(
      `insert into access.agent_consents (${names.join(", ")}) values (${places.join(", ")})`,
      consents.values(consent),
    );
    await tx.query(
      `update access.oauth_records set expires_at = greatest(expires_at, $2) where model = 'Client' and key = $1`,
      [consent.clientId, consent.expiresAt],
    );
  },

  async ofPerson(executor, userId) {
    const { rows } = await executor.query(
      `select ${consents.selected} from access.agent_consents where user_id = $1 and expires_at > now() order by created_at desc`,
      [userId],
    );
    return rows.map(consents.record);
  },

  async ofToken(executor, { key, resource }) {
    const { rows } = await executor.query(
      `select ${consents.selected} from access.agent_consents where expires_at > now() and id = (
         select grant_id from access.oauth_records
         where model = 'AccessToken' and key = $1 and expires_at > now() and payload ->> 'aud' = $2)`,
      [key, resource],
    );
    return rows[0] && consents.record(rows[0]);
  },

  async hasClient(executor, clientId) {
    const { rows } = await executor.query(
      "select 1 from access.agent_consents where client_id = $1 and expires_at > now() limit 1",
      [clientId],
    );
    return rows.length > 0;
  },

  async used(executor, id, at) {
    await executor.query("update access.agent_consents set used_at = $2 where id = $1", [id, at]);
  },

  async rename(executor, { userId, displayName, email }) {
    await executor.query(
      `update access.agent_consents set display_name = $2, email = $3
       where user_id = $1 and (display_name, email) is distinct from ($2, $3)`,
      [userId, displayName, email ?? null],
    );
  },

  async remove(tx, id) {
    await tx.query("delete from access.oauth_records where grant_id = $1", [id]);
    await tx.query("delete from access.oauth_records where model = 'Grant' and key = $1", [id]);
    const { rows } = await tx.query(`delete from access.agent_consents where id = $1 returning ${consents.selected}`, [id]);
    return rows[0] && consents.record(rows[0]);
  },

  async forgetPerson(tx, userId) {
    await tx.query(
      `delete from access.oauth_records using access.agent_consents
       where user_id = $1 and (grant_id = id or (model = 'Grant' and key = id))`,
      [userId],
    );
    await tx.query("delete from access.agent_consents where user_id = $1", [userId]);
  },
};

/** Deletes consents that have ended. Returns how many. */
export function pruneAgentConsents(database: Database, signal?: AbortSignal): Promise<number> {
  const ended = {
    table: "access.agent_consents",
    key: "id",
    condition: "old.expires_at < now() - $1::interval",
    olderThanMs: 0,
  };
  return deleteInSteps(database, ended, signal);
}
