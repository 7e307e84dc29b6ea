import { type TestApp, testApp } from "../../contract/test-app.ts";

/** Answers what it is asked, on routes of every kind that the faults of a backend tell apart. */
export const answering = "test.answering";
/** Calls the other, signed with its own key. */
export const calling = "test.calling";

/** Most calls of `/limited` a minute and caller. */
export const limit = 50;

/** Its failures would be those of a busy machine. */
const healthCheck = { path: "/health", interval_seconds: 1, timeout_ms: 10_000, unhealthy_threshold: 100 };

/** An app whose backend is not the platform's to run: whether it is RUNNING, its health says. */
export function answeringApp(upstreamUrl: string): Promise<TestApp> {
  return testApp({
    name: answering,
    web_app: {
      api: {
        base_path: `/api/apps/${answering}`,
        upstream_base_url: upstreamUrl,
        strip_base_path: true,
        timeout_ms: 20_000,
        forward_headers: ["x-sequence"],
        health_check: healthCheck,
        routes: [
          { pattern: "/public", methods: ["GET"], is_public: true },
          { pattern: "/slow", methods: ["GET"], is_public: true },
          // A limit that is counted and never reached.
          { pattern: "/read", methods: ["GET"], scopes: ["answers:read"], rate_limit: { rpm: 1_000_000 } },
          { pattern: "/write", methods: ["POST"], scopes: ["answers:read"] },
          { pattern: "/limited", methods: ["GET"], scopes: ["answers:read"], rate_limit: { rpm: limit } },
        ],
      },
    },
  });
}

export function callingApp(upstreamUrl: string, name: string = calling): Promise<TestApp> {
  return testApp({
    name,
    web_app: { api: { base_path: `/api/apps/${name}`, upstream_base_url: upstreamUrl, health_check: healthCheck } },
    required_permissions: [{ scope: "answers:read", resource_type: answering, reason: "Asks it." }],
  });
}
