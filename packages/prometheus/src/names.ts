import { type Attributes, type Metric, metrics } from '@headgate/core/metrics';

/** The suffixes of units. An annotation such as `{request}` is not a unit. */
const suffixes: Readonly<Record<string, string>> = { s: '_seconds', 1: '_ratio' };

/** The name that OpenTelemetry's own exporters to Prometheus give a metric. */
export function prometheusName({ name, unit, kind }: Metric): string {
  const suffix = suffixes[unit] ?? '';
  return `${underscored(name)}${suffix}${kind === 'counter' ? '_total' : ''}`;
}

export function labelsOf(attributes: Attributes): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [name, value] of Object.entries(attributes)) labels[underscored(name)] = value;
  return labels;
}

export function underscored(name: string): string {
  return name.replaceAll('.', '_');
}

/**
 * How the cluster mode of prom-client combines the values of its processes. The sum of gauges means nothing, so it
 * shows the worst value.
 */
export function aggregatorOf(metric: Metric): 'sum' | 'max' | 'min' {
  if (metric.kind !== 'gauge') return 'sum';
  return metric === metrics.storeUp ? 'min' : 'max';
}
