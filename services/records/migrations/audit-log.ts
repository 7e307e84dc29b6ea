import type { Migration } from "@appserver/kernel/ports";

export const auditMigrations: readonly Migration[] = [
  {
    name: "platform/0003-audit-entries",
    // The id is a UUIDv7, so ids sort by time.
    sql: `
      create table platform.audit_log (
        id       uuid primary key,
        at       timestamptz not null,
        actor    text not null,
        action   text not null,
        target   text not null,
        outcome  text not null,
        details  json,
        trace_id text,
        client   text check (length(client) <= 120)
      );
      create index audit_log_target on platform.audit_log (target, id);
      create index audit_log_trace on platform.audit_log (trace_id, id) where trace_id is not null;
      create index audit_log_actor on platform.audit_log (actor, id);
      create index audit_log_client on platform.audit_log (client, id) where client is not null;
      create index audit_log_action on platform.audit_log (action, id);
      create index audit_log_outcome on platform.audit_log (outcome, id) where outcome <> 'success';
      create index audit_log_at on platform.audit_log (at)`,
  },
];
