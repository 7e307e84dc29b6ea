#!/usr/bin/env node
import { launch } from "./launch.mjs";

launch("apps/server/src/main.ts");
