import fc from 'fast-check';

// A mutant lives or dies by the same examples each time; the first that fails is enough.
fc.configureGlobal({ seed: 1, endOnFailure: true });
