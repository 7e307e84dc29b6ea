import { type TestApp, testApp } from "@appserver/testing/kit";

/** An app with a setting of every type and for every input of the form. Nothing of it runs. */
export const formsApp = "com.example.forms";

/** All 15 types, with rules and hints. */
const definitions = [
  { key: "a.text", data_type: "STRING", description: "A name.", validation: { max_length: 10 } },
  { key: "a.required", data_type: "STRING_REQUIRED", required: true, default_value: '"Untitled"' },
  { key: "a.area", data_type: "STRING", ui_hints: { input_type: "textarea" } },
  { key: "a.secret", data_type: "STRING", sensitive: true, validation: { min_length: 8 } },
  { key: "a.date", data_type: "STRING", validation: { pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" } },
  { key: "a.stage", data_type: "STRING", validation: { enum: ["dev", "test", "live"] }, ui_hints: { input_type: "select" } },
  { key: "a.size", data_type: "STRING", ui_hints: { input_type: "radio", options: ["small", "large"] } },
  { key: "a.slug", data_type: "STRING", validation: { pattern: "^[a-z]+$" }, ui_hints: { placeholder: "lower case" } },
  { key: "b.int", data_type: "INT", default_value: "20", validation: { min: 1, max: 100 }, ui_hints: { input_type: "number" } },
  { key: "b.int_required", data_type: "INT_REQUIRED", required: true, default_value: "3" },
  { key: "b.float", data_type: "FLOAT", default_value: "0.5", validation: { min: 0, max: 1 }, ui_hints: { step: 0.1 } },
  { key: "b.float_required", data_type: "FLOAT_REQUIRED", required: true, default_value: "1.5" },
  { key: "c.flag", data_type: "BOOL" },
  { key: "c.flag_required", data_type: "BOOL_REQUIRED", required: true, default_value: "true" },
  { key: "d.json", data_type: "JSON", env: "FORMS_JSON" },
  { key: "d.json_required", data_type: "JSON_REQUIRED", required: true, default_value: '{"a":[1]}' },
  { key: "e.words", data_type: "STRING_ARRAY", validation: { pattern: "^[a-z]+$" } },
  { key: "e.days", data_type: "STRING_ARRAY", validation: { enum: ["mon", "tue", "wed"] } },
  { key: "e.ints", data_type: "INT_ARRAY", validation: { max: 9 } },
  { key: "e.floats", data_type: "FLOAT_ARRAY" },
  { key: "e.flags", data_type: "BOOL_ARRAY" },
  { key: "f.pairs", data_type: "KVPAIR_ARRAY" },
];

export function formsManifest(): Promise<TestApp> {
  const api = { base_path: `/api/apps/${formsApp}`, upstream_base_url: "http://127.0.0.1:9" };
  return testApp({ name: formsApp, display_name: "Forms", web_app: { api }, settings: { definitions } });
}

/** What the test enters for each setting. */
export const enteredValues = {
  "a.text": "abc",
  "a.required": "A title",
  "a.area": "two\nlines",
  "a.secret": "c4nary-secret",
  "a.date": "2026-02-28",
  "a.stage": "test",
  "a.size": "large",
  "a.slug": "slug",
  "b.int": 42,
  "b.int_required": -7,
  "b.float": 0.6,
  "b.float_required": 0.0025,
  "c.flag": true,
  "c.flag_required": false,
  "d.json": { deep: [1, null] },
  "d.json_required": "text",
  "e.words": ["one", "two"],
  "e.days": ["wed"],
  "e.ints": [9],
  "e.floats": [1.25],
  "e.flags": [true],
  "f.pairs": [{ key: "k", value: [1] }],
};
