import { platformVariant } from "@appserver/testing/kit";

/** For guarantees of `appserver dev` only. Such a test does not run on the production platform. */
export const developmentOnly = { skip: platformVariant === "production" && "about development only" };

/** For behaviour that needs sign-in. */
export const productionOnly = { skip: platformVariant === "embedded" && "about production only" };
