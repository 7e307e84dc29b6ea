import { type TestApp, testApp } from "@appserver/testing/kit";

/** The app that is called. It has one route for each kind of call that behaves differently when a backend fails. */
export const answering = "test.answering";
/** The app that calls it, signed with its own key. */
export const calling = "test.calling";

/** Maximum calls of `/limited` per minute and caller. */
export const limit = 50;

/** Failures would only show that the machine is busy. */
const healthCheck = { path: "/health", interval_seconds: 1, timeout_ms: 10_000, unhealthy_threshold: 100 };

/** An app whose backend the platform does not run. Its health check decides whether it is RUNNING. */
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
          // A limit that is counted but never reached.
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
