export { RabbitBroker, type RabbitBrokerOptions } from "./rabbit-broker.ts";
