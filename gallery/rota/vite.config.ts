import { reactPage } from "@appserver/sdk/vite";
import { defineConfig } from "vite";

export default defineConfig(reactPage("com.example.rota"));
