#!/usr/bin/env node
import { launch } from "./launch.mjs";

launch("apps/cli/src/main.ts");
