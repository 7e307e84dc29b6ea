import { platformVariant } from "@appserver/testing/kit";

/** For what only `appserver dev` promises: such a test runs once, not on the production platform. */
export const developmentOnly = { skip: platformVariant === "production" && "about development only" };

/** For what a platform without sign-in cannot show. */
export const productionOnly = { skip: platformVariant === "embedded" && "about production only" };
