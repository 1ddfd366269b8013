import { part, write } from './dom.js';

/** @typedef {{ at: number, used: number, demand: number, max: number }} Sample */
/** @typedef {{ from: string, to: string, sample: Sample }} Step */

/** The time span of a chart, in milliseconds. */
export const span = 300_000;

/**
 * Maximum time, in milliseconds, for which a sample is drawn. A longer gap means that the page was paused or the server
 * unreachable.
 */
const MAX_STEP = 4_000;

/** The size in the SVG's `viewBox`. */
const [width, height] = [300, 36];

/**
 * The history of a semaphore that this page has seen: the count in use, the pending count on top of it, and the full
 * count.
 */
export class Chart {
  /** @type {Sample[]} */
  #samples = [];
  #svg;

  /** @param {Element} svg */
  constructor(svg) {
    this.#svg = svg;
  }

  /** @param {Sample} sample */
  add(sample) {
    this.#samples.push(sample);
    // Keeps one sample from before the chart's start, for its left edge.
    while ((this.#samples[1]?.at ?? Infinity) < sample.at - span) this.#samples.shift();
  }

  /** @param {number} now */
  draw(now) {
    const all = this.#samples;
    const highest = Math.max(1, ...all.map(({ demand, max }) => Math.max(demand, max)));
    const steps = all.map((sample, i) => {
      const end = Math.min(all[i + 1]?.at ?? now, sample.at + MAX_STEP);
      return { sample, from: x(sample.at, now), to: x(end, now) };
    });
    /** @param {number} value */
    const y = (value) => (height - 1 - (value / highest) * (height - 3)).toFixed(1);
    this.#path(
      '.demand',
      area(steps, ({ demand }) => y(demand), y(0)),
    );
    this.#path(
      '.in-use',
      area(steps, ({ used }) => y(used), y(0)),
    );
    this.#path(
      '.limit',
      line(steps, ({ max }) => y(max)),
    );
    write(part(this.#svg, 'title'), this.#inWords());
  }

  /** @param {string} name @param {string} shape */
  #path(name, shape) {
    part(this.#svg, name).setAttribute('d', shape);
  }

  #inWords() {
    const used = Math.max(...this.#samples.map((sample) => sample.used));
    const waited = Math.max(...this.#samples.map((sample) => sample.demand - sample.used));
    return `In the last five minutes at most ${used} in use, and ${waited} waited for`;
  }
}

/** @param {number} at @param {number} now */
function x(at, now) {
  return Math.max(0, width - ((now - at) / span) * width).toFixed(2);
}

/** @param {readonly Step[]} steps @param {(sample: Sample) => string} y @param {string} floor */
function area(steps, y, floor) {
  let shape = '';
  steps.forEach(({ sample, from, to }, i) => {
    // A single path, because separate pieces would show hairlines between them.
    shape += steps[i - 1]?.to === from ? '' : `M${from} ${floor}`;
    shape += `V${y(sample)}H${to}`;
    shape += steps[i + 1]?.from === to ? '' : `V${floor}Z`;
  });
  return shape;
}

/** @param {readonly Step[]} steps @param {(sample: Sample) => string} y */
function line(steps, y) {
  let shape = '';
  steps.forEach(({ sample, from, to }, i) => {
    shape += steps[i - 1]?.to === from ? `V${y(sample)}` : `M${from} ${y(sample)}`;
    shape += `H${to}`;
  });
  return shape;
}
