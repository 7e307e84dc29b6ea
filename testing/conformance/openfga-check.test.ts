import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import test from "node:test";
import {
  CheckError,
  type ConditionalTuple,
  compileModel,
  type EvaluableRequest,
  evaluateCheck,
  invalidTuple,
  TupleIndex,
} from "@appserver/authorization-embedded";
import { parseModel } from "@appserver/testing/kit";
import { parse } from "yaml";

interface CheckAssertion {
  readonly tuple: ConditionalTuple;
  readonly contextualTuples?: readonly ConditionalTuple[];
  readonly context?: Readonly<Record<string, unknown>>;
  readonly expectation?: boolean;
  readonly errorCode?: number;
}

interface Stage {
  readonly model: string;
  readonly tuples?: readonly ConditionalTuple[];
  readonly checkAssertions?: readonly CheckAssertion[];
}

interface Corpus {
  readonly tests: readonly { readonly name: string; readonly stages: readonly Stage[] }[];
}

const corpora = process.env["APPSERVER_CORPORA"] ?? resolve(import.meta.dirname, "../../../shared/corpora");
const folder = join(corpora, "openfga-check");
/** Check assertions in the corpus at its recorded commit: fewer results mean that some were lost. */
const expectedCases = 485;
const files = ["consolidated_1_1_tests.yaml", "abac_tests.yaml"];

if (!existsSync(folder)) {
  test("OpenFGA's check matrix", { skip: "corpora absent" });
} else {
  let judged = 0;
  for (const file of files) {
    const corpus = parse(readFileSync(join(folder, file), "utf8")) as Corpus;
    for (const { name, stages } of corpus.tests) {
      test(`${file}: ${name}`, async () => {
        const stored: ConditionalTuple[] = [];
        for (const stage of stages) judged += await judgeStage(stage, stored);
      });
    }
  }
  test("every check of the matrix was run", (context) => {
    context.diagnostic(`${judged} of ${expectedCases} OpenFGA check assertions run`);
    assert.equal(judged, expectedCases);
  });
}

/** Runs every check of a stage. Tuples stay from stage to stage, even those that a later model no longer allows. */
async function judgeStage(stage: Stage, stored: ConditionalTuple[]): Promise<number> {
  const model = await compileModel(await parseModel(stage.model));
  for (const tuple of stage.tuples ?? []) {
    assert.equal(invalidTuple(model, tuple), undefined, `tuple ${JSON.stringify(tuple)} is writable`);
    stored.push(tuple);
  }
  const index = new TupleIndex(model, stored);
  const assertions = stage.checkAssertions ?? [];
  for (const assertion of assertions) {
    const request: EvaluableRequest = {
      ...assertion.tuple,
      ...(assertion.contextualTuples && { contextualTuples: assertion.contextualTuples }),
      ...(assertion.context && { context: assertion.context }),
    };
    const answer = answerOf(() => evaluateCheck(model, index, request));
    assert.equal(answer, assertion.errorCode ?? assertion.expectation, JSON.stringify(assertion));
  }
  return assertions.length;
}

/** Returns the result or the code of the error. */
function answerOf(check: () => boolean): boolean | number {
  try {
    return check();
  } catch (error) {
    if (error instanceof CheckError) return error.code;
    throw error;
  }
}
