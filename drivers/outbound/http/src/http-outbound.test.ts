import { SystemClock, silentLogger } from "@appserver/kernel";
import { outboundSuite } from "../../outbound.suite.ts";
import { HttpOutbound } from "./http-outbound.ts";

const strict = { allow: [], deny: [], allowLoopback: false, clock: new SystemClock(), logger: silentLogger };

outboundSuite("undici", (rules) => new HttpOutbound({ ...strict, ...rules }));
