/** Draws milliseconds. */
export type Times = (random: () => number) => number;

export const constant =
  (time: number): Times =>
  () =>
    time;

export const exponential =
  (mean: number): Times =>
  (random) =>
    -mean * Math.log(1 - random());

/** Most are quick and a few are long: what web services look like. `spread` is the sigma of the logarithm. */
export const lognormal =
  (median: number, spread: number): Times =>
  (random) => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return median * Math.exp(spread * normal);
  };
