import { testInPython } from "@appserver/testing/kit";

await testInPython("the tests of the backend in Python", import.meta.dirname);
