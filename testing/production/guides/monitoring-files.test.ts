import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, describe, test } from "node:test";
import { metricCatalogue } from "@appserver/contracts/metrics";
import { parse, stringify } from "yaml";
import { ensureProgram } from "../../../tools/services/debian-programs.ts";

const repository = resolve(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(repository, path), "utf8");
const alertsFile = "deploy/prometheus/alerts.yaml";

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets?: readonly { readonly expr: string }[] }[];
}

const rules = (parse(read(alertsFile)) as Rules).groups.flatMap((group) => group.rules);
const panels = (JSON.parse(read("deploy/grafana/appserver.json")) as Dashboard).panels;
const charts = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
const promtool = ensureProgram("promtool");

describe("alerts and dashboard", { skip: "unavailable" in promtool && promtool.unavailable }, () => {
  const folder = mkdtempSync(join(tmpdir(), "appserver-rules-"));
  after(() => rmSync(folder, { recursive: true }));
  const run = (...args: readonly string[]): string =>
    execFileSync("path" in promtool ? promtool.path : "", args, { cwd: repository, encoding: "utf8" });

  test("promtool accepts the rules, and each fires as its test says", () => {
    assert.match(run("check", "rules", alertsFile), /SUCCESS: \d+ rules found/);
    assert.match(run("test", "rules", "deploy/prometheus/alerts.test.yaml"), /SUCCESS/);
  });

  test("every alert is tested and has a first step in the guide", () => {
    const [tests, guide] = [read("deploy/prometheus/alerts.test.yaml"), read("docs/guides/monitoring.md")];
    const without = (text: string) =>
      rules.map(({ alert }) => alert).filter((alert) => !new RegExp(`\\b${alert}\\b`).test(text));
    assert.deepEqual(without(guide), []);
    assert.deepEqual(without(tests), []);
  });

  test("Prometheus can evaluate every chart of the dashboard", () => {
    const record = charts.map(({ expr }, index) => ({
      record: `chart_${index}`,
      expr: expr.replaceAll("$__rate_interval", "5m").replaceAll("$app", ".*"),
    }));
    const file = join(folder, "charts.yaml");
    writeFileSync(file, stringify({ groups: [{ name: "charts", rules: record }] }));
    assert.match(run("check", "rules", file), new RegExp(`SUCCESS: ${charts.length} rules found`));
  });

  test("alerts and charts read metrics of the platform, with labels that these have", () => {
    const catalogue = new Map(Object.values(metricCatalogue).map((metric) => [metric.name as string, metric]));
    const targetLabels = ["job", "instance", "worker", "le"];
    for (const { expr } of [...rules, ...charts]) {
      for (const [, name = "", selector = ""] of expr.matchAll(
        /\b(appserver_\w+?)(?:_bucket|_count|_sum)?\b(?:\{([^}]*)\})?/g,
      )) {
        const metric = catalogue.get(name) ?? catalogue.get(`${name}_count`);
        assert.ok(metric, `${name} in ${expr}`);
        const labels = [...selector.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)].map(([, label = ""]) => label);
        const own: readonly string[] = [...metric.labels, ...targetLabels];
        assert.deepEqual(
          labels.filter((label) => !own.includes(label)),
          [],
          `${name} in ${expr}`,
        );
      }
    }
  });
});
