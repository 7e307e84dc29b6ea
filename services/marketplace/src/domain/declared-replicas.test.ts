import assert from "node:assert/strict";
import { test } from "node:test";
import { AppManifestSchema } from "@appserver/contracts/proto/appserver/v2/manifest";
import { SettingDataType } from "@appserver/contracts/proto/appserver/v2/settings";
import { create } from "@bufbuild/protobuf";
import { declaredReplicas, excessiveReplicas } from "./declared-replicas.ts";

const settings = { definitions: [{ key: "containers.replicas", dataType: SettingDataType.INT, defaultValue: "4" }] };

test("one instance is the default, and the default of the setting counts before the field", () => {
  const of = (init: Parameters<typeof create<typeof AppManifestSchema>>[1]) => {
    const { min, max } = declaredReplicas(create(AppManifestSchema, init));
    return [min, max];
  };
  assert.deepEqual(
    [of({}), of({ replicas: { min: 2 } }), of({ replicas: { max: 3 } })],
    [
      [1, 1],
      [2, 2],
      [1, 3],
    ],
  );
  assert.deepEqual(of({ replicas: { min: 2, max: 3 }, settings }), [4, 4]);
});

test("more than the platform runs is a problem that says why", () => {
  const api = { upstreamBaseUrl: "http://app-notes:3000", routes: [{ pattern: "/**", methods: ["GET"] }] };
  const problems = (max: number, most: number, because: string, webApp: object = { api }) =>
    excessiveReplicas("notes", "1.0.0", create(AppManifestSchema, { name: "notes", replicas: { max }, webApp }), {
      most,
      because,
    }).map(({ code, message }) => `${code}: ${message}`);
  assert.deepEqual(problems(10, 10, ""), []);
  assert.deepEqual(problems(2, 1, "", {}), [], "an app without a container runs none");
  assert.deepEqual(problems(2, 1, "the driver process runs no more"), [
    "INVALID_STATE: notes 1.0.0 declares 2 replicas, and this platform allows at most 1; the driver process runs no more",
  ]);
});
