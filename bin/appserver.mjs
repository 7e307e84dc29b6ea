#!/usr/bin/env node
import { launch } from "./launch.mjs";

await launch("apps/server/src/main.ts");
