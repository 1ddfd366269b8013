import fc from 'fast-check';

// Every run of a mutant uses the same examples, and stops at the first failure.
fc.configureGlobal({ seed: 1, endOnFailure: true });
