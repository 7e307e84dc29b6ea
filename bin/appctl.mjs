#!/usr/bin/env node
import { launch } from "./launch.mjs";

await launch("apps/cli/src/main.ts");
