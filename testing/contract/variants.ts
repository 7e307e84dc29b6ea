import { test } from "node:test";
import { isOneProcess, platformVariant } from "@appserver/testing/kit";

type Declare = (name: string, run: (t: import("node:test").TestContext) => void | Promise<void>) => void;

/** Declares a test of a guarantee of `appserver dev`. It does not exist in a run on a production platform. */
export const developmentTest: Declare = (name, run) => {
  if (platformVariant === "embedded") void test(name, run);
};

/** Declares a test of behaviour that needs sign-in. It does not exist in a run on an embedded platform. */
export const productionTest: Declare = (name, run) => {
  if (platformVariant === "production") void test(name, run);
};

/** Declares a test of a platform whose people have their accounts elsewhere. `appserver up` has them itself. */
export const foreignAccountsTest: Declare = (name, run) => {
  const hasAccounts = isOneProcess && platformVariant === "production";
  void test(name, { skip: hasAccounts && "this driver has no accounts elsewhere" }, run);
};
