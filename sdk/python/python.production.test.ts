import { testInPython } from "@appserver/testing/kit";

await testInPython("the tests of the SDK for Python", import.meta.dirname);
