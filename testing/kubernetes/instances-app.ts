import { join } from "node:path";
import type { AppKeys } from "@appserver/sdk";
import { testApp } from "@appserver/testing/kit";
import type { Release } from "../faults/switches/releases.ts";

const name = "test.instances";
const route = (pattern: string, method = "GET") => ({ pattern, methods: [method], is_public: true });

/** The releases of an app with several instances, two by default, which say who they are. */
export class InstancesApp {
  readonly #replicas: object;
  #keys: AppKeys | undefined;

  constructor(replicas: object = { min: 2, max: 2 }) {
    this.#replicas = replicas;
  }

  async release(version: string): Promise<Release> {
    const api = {
      base_path: `/api/apps/${name}`,
      upstream_base_url: `http://app-${name}:3000`,
      strip_base_path: true,
      health_check: { path: "/health", interval_seconds: 1, timeout_ms: 1_000, unhealthy_threshold: 3 },
      routes: [route("/instance"), route("/slow", "POST")],
    };
    const app = await testApp({ name, version, replicas: this.#replicas, web_app: { api } }, {}, this.#keys);
    this.#keys = app.keys;
    return { app, folder: join(import.meta.dirname, "instances-app") };
  }
}
