package io.tailrace.benchmarks.commands;

import io.tailrace.benchmarks.contender.Contender;
import io.tailrace.benchmarks.harness.CommandTrial;

/**
 * One trial of one contender.
 *
 * @param run counted from 1
 */
record CommandsTrial(Contender contender, Trial trial, int run, CommandTrial.Outcome outcome) {}
