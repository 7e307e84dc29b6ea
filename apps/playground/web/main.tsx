import "graphiql/setup-workers/vite";
import "graphiql/style.css";
import "./playground.css";
import { createGraphiQLFetcher } from "@graphiql/toolkit";
import { GraphiQL } from "graphiql";
import { createRoot } from "react-dom/client";
import { firstQuery } from "./first-query.ts";

/** Queries are sent with the session of the browser, subscriptions over a WebSocket of the same origin. */
const fetcher = createGraphiQLFetcher({
  url: "/graphql",
  subscriptionUrl: `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/graphql`,
});

const root = document.getElementById("playground");
if (root) createRoot(root).render(<GraphiQL fetcher={fetcher} defaultQuery={firstQuery} />);
