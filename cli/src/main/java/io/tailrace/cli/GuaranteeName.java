package io.tailrace.cli;

import io.tailrace.contract.config.RouterConfig.Guarantee;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A guarantee as the configuration file has it. */
final class GuaranteeName implements ITypeConverter<Guarantee> {

    @Override
    public Guarantee convert(String text) {
        return Stream.of(Guarantee.values())
                .filter(each ->
                        each.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException(
                        "expected exactly-once or at-least-once but was '%s'".formatted(text)));
    }
}
