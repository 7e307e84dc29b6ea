import type { Migration } from "@appserver/kernel/ports";

export const requestHistoryMigrations: readonly Migration[] = [
  {
    name: "platform/0009-request-history",
    // A caller decides how long some texts are, and PostgreSQL refuses long keys of an index: their beginnings are the keys.
    // Unlogged, as the samples of metrics: an hour of requests is not worth the write-ahead log.
    sql: `
      create unlogged table platform.requests (
        at          timestamptz not null,
        request_id  text not null,
        trace_id    text not null,
        app_name    text,
        pattern     text,
        method      text not null,
        status      integer not null,
        duration_ms float8 not null,
        upstream_ms float8,
        reason      text,
        caller      text not null,
        client      text,
        position    bigint generated always as identity
      );
      create index requests_at on platform.requests (at, position);
      create index requests_app on platform.requests (left(app_name, 255), at, position) where app_name is not null;
      create index requests_caller on platform.requests (left(caller, 255), at, position);
      create index requests_failed on platform.requests (at, position) where status >= 400 or reason is not null;
      create index requests_id on platform.requests (request_id, at);
      create index requests_trace on platform.requests (trace_id, at)`,
  },
];
