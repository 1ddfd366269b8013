/** The name of this package's meter and tracer. */
export const scope = '@headgate/opentelemetry';
